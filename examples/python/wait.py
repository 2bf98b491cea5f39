"""Waits until the QR code is paid, or can be paid no more."""
import fps

code = fps.wait_for_payment("invoice-1")
print(f'invoice-1 is {code["qrCode"]["status"]}')
