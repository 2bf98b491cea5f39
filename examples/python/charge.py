"""Saves a customer's account, and charges it without the customer."""
import secrets, sys, fps

consent, order = (f"{name}-{secrets.token_hex(4)}" for name in ("consent", "order"))

saved = fps.create({
    "qrCodeUid": consent,
    "qrCode": {"type": "TOKEN", "ttl": 60},
    "tokenizationPurpose": "Tea club",
    "tokenizationAccount": "customer-7",
})
print(f'the customer agrees on {saved["pageUrl"]}', flush=True)
bound = fps.wait_for_payment(consent)
token = bound.get("token", {}).get("value")  # a secret: it charges the account
if not token:
    sys.exit(f'{consent} is {bound["qrCode"]["status"]}')

fps.create({"qrCodeUid": order, "qrCode": {"type": "DYNAMIC"}, "amount": {"value": "5.00"}})
fps.charge_token(order, token, "customer-7")
paid = fps.wait_for_payment(order, return_declined=True)
print(f'{order} is {paid["qrCode"]["status"]}')
