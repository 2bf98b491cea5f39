"""Creates a QR code of 10.50 and shows it."""
import base64, fps

code = fps.create({
    "qrCodeUid": "invoice-1",
    "qrCode": {"type": "DYNAMIC", "image": {"mediaType": "image/svg+xml"}},
    "amount": {"value": "10.50"},  # a text: a float is not exact
})
if "image" in code["qrCode"]:
    with open("invoice-1.svg", "wb") as file:
        file.write(base64.b64decode(code["qrCode"]["image"]["content"]))
print(f'invoice-1 is {code["qrCode"]["status"]}: {code["pageUrl"]}')
