"""Saves a customer's account, and charges it without the customer."""
import sys, fps

saved = fps.create({
    "qrCodeUid": "consent-7",
    "qrCode": {"type": "TOKEN", "ttl": 60},
    "tokenizationPurpose": "Tea club",
    "tokenizationAccount": "customer-7",
})
print(f'the customer agrees on {saved["pageUrl"]}', flush=True)
bound = fps.wait_for_payment("consent-7")
token = bound.get("token", {}).get("value")  # a secret: it charges the account
if not token:
    sys.exit(f'consent-7 is {bound["qrCode"]["status"]}')

fps.create({"qrCodeUid": "invoice-2", "qrCode": {"type": "DYNAMIC"}, "amount": {"value": "5.00"}})
fps.charge_token("invoice-2", token, "customer-7")
paid = fps.wait_for_payment("invoice-2", return_declined=True)
print(f'invoice-2 is {paid["qrCode"]["status"]}')
