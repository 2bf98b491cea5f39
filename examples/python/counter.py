"""Arms the printed code of a counter for a sale, and waits until it is paid, or can be paid no more."""
import secrets, fps

code = f"till-{secrets.token_hex(4)}"  # in a shop, the number of the till

till = fps.create({"qrCodeUid": code, "qrCode": {"type": "COUNTER"}})
print(f'print the code of {till["pageUrl"]}')
fps.arm_sale(code, "receipt-1", {"amount": {"value": "149.50"}, "paymentPurpose": "Tea"})
sale = fps.wait_for_sale(code, "receipt-1")
print(f'receipt-1 is {sale["status"]}')
