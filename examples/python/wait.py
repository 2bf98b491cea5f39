"""Waits until the QR code is paid, or can be paid no more."""
import fps

with open("order.txt") as file:
    uid = file.read()
code = fps.wait_for_payment(uid)
print(f'{uid} is {code["qrCode"]["status"]}')
