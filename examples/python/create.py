"""Creates a QR code of 10.50 and shows it."""
import base64, secrets, fps

uid = f"order-{secrets.token_hex(4)}"
with open("order.txt", "w") as file:  # in a shop, the row of the order: it is stored before the request
    file.write(uid)

code = fps.create({
    "qrCodeUid": uid,
    "qrCode": {"type": "DYNAMIC", "image": {"mediaType": "image/svg+xml"}},
    "amount": {"value": "10.50"},  # a text: a float is not exact
    "redirectUrl": "http://127.0.0.1:8787/?paid",  # a page of the shop: it asks whether the order is paid
})
if "image" in code["qrCode"]:
    with open(f"{uid}.svg", "wb") as file:
        file.write(base64.b64decode(code["qrCode"]["image"]["content"]))
print(f'{uid} is {code["qrCode"]["status"]}: {code["pageUrl"]}')
