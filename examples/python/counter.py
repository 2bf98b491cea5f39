"""Arms the printed code of a counter for a sale, and waits until it is paid, or can be paid no more."""
import fps

till = fps.create({"qrCodeUid": "till-1", "qrCode": {"type": "COUNTER"}})
print(f'print the code of {till["pageUrl"]}')
fps.arm_sale("till-1", "receipt-1", {"amount": {"value": "149.50"}, "paymentPurpose": "Tea"})
sale = fps.wait_for_sale("till-1", "receipt-1")
print(f'receipt-1 is {sale["status"]}')
