"""Refunds half of the payment."""
import sys, fps

with open("order.txt") as file:
    uid = file.read()
code = fps.get(uid)
if code["qrCode"]["status"] != "PAYED":
    sys.exit(f'{uid} is {code["qrCode"]["status"]}')
payment = code["payment"]
kopecks = int(payment["amount"]["value"].replace(".", "")) // 2  # an amount has two fraction digits
fps.refund(payment["paymentUid"], "refund-1", f"{kopecks // 100}.{kopecks % 100:02}")
refund = fps.wait_for_refund(payment["paymentUid"], "refund-1")
print(f'refund-1 of {refund["amount"]["value"]} is {refund["status"]["value"]}')
