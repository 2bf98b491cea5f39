"""Receives notifications in Python: verifies each, stores it once, answers, and acts on it afterwards."""
import base64, hashlib, hmac, json, os, sys, time
from functools import reduce
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from queue import Queue
from threading import Lock, Thread

# The notification key; while it is replaced, both keys, separated by a comma.
TEXTS = os.environ.get("NOTIFICATION_KEYS", "").split(",")
if not all(text.startswith("whsec_") for text in TEXTS):
    sys.exit("NOTIFICATION_KEYS must be one key that begins with whsec_, or two, separated by a comma")
KEYS = [text.removeprefix("whsec_") for text in TEXTS]
MAX_AGE = 300  # seconds
MAX_BYTES = 65_536

# What Signature covers, by type.
SIGNED = {
    "PAYMENT": ["payment.paymentId", "payment.createdDateTime", "payment.amount.value"],
    "REFUND": ["refund.refundId", "refund.createdDateTime", "refund.amount.value"],
    "TOKEN": ["token.merchantSiteUid", "token.account", "token.status.value", "token.status.changedDateTime"],
    "QR_CODE": ["qrCode.merchantSiteUid", "qrCode.qrCodeUid", "qrCode.status.value", "qrCode.status.changedDateTime"],
    "RECEIPT": ["receipt.merchantSiteUid", "receipt.receiptUid", "receipt.status.value", "receipt.status.changedDateTime"],
    "SETTLEMENT": ["settlement.merchantSiteUid", "settlement.settlementUid", "settlement.status.value", "settlement.status.changedDateTime"],
}

# The notifications, by webhook-id. In a real shop this is a table with a unique id, written before the answer:
# a notification that was answered with 2xx is not sent again.
stored, lock, work = {}, Lock(), Queue()


def verify(headers, body):
    """The notification, if one of the keys made both of its signatures; else a ValueError says why not."""
    id, timestamp = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    if not timestamp.isdecimal() or abs(time.time() - int(timestamp)) > MAX_AGE:
        raise ValueError("webhook-timestamp is not a time of the last five minutes")
    reason = "none of the keys made webhook-signature"
    for key in KEYS:
        mac = hmac.digest(base64.b64decode(key), f"{id}.{timestamp}.".encode() + body, hashlib.sha256)
        expected = "v1," + base64.b64encode(mac).decode()
        if any(is_equal(expected, given) for given in headers.get("webhook-signature", "").split(" ")):
            notification = json.loads(body, parse_float=str)  # keeps the digits of an amount: 5.00
            if is_equal(signature(key, notification), headers.get("Signature", "")):
                return notification
            reason = "Signature is of another key: only the active key makes it"
    raise ValueError(reason)


def signature(key, notification):
    paths = SIGNED.get(notification["type"], [])
    values = [reduce(lambda value, field: value[field], path.split("."), notification) for path in paths]
    return hmac.digest(key.encode(), "|".join(values).encode(), hashlib.sha256).hex()


def is_equal(expected, given):
    return hmac.compare_digest(expected.encode(), given.encode())


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        length = self.headers.get("Content-Length", "")
        body = self.rfile.read(int(length)) if length.isdecimal() and int(length) <= MAX_BYTES else b""
        try:
            notification = verify(self.headers, body)
        except ValueError as reason:
            print(f"401: {reason}", file=sys.stderr, flush=True)
            return self.answer(401)
        with lock:
            if stored.setdefault(self.headers["webhook-id"], notification) is notification:
                work.put(notification)
        self.answer(204)

    def answer(self, status):
        self.send_response(status)
        self.end_headers()

    def log_message(self, *_):
        pass


def act(type, payment={}, refund={}, token={}, qrCode={}, receipt={}, settlement={}, test=False, **_):
    """What may take its time: it runs beside the answers. A token's value is a secret, so it is not shown."""
    if type == "SETTLEMENT": return f'settlement {settlement["settlementUid"]} is {settlement["status"]["value"]}'
    if type == "RECEIPT": return f'receipt of {receipt["paymentId"]} is {receipt["status"]["value"]}'
    if type == "QR_CODE": return f'{qrCode["qrCodeUid"]} is {qrCode["status"]["value"]}'
    if type == "TOKEN": return f'token for {token["account"] or "a customer"} is {token["status"]["value"]}'
    if type == "REFUND":
        result = f': {refund["amount"]["value"]}' if refund["status"]["value"] == "SUCCESS" else " was declined"
        return f'refund {refund["refundId"]} of {refund["paymentId"]}{result}'
    if test or "test" in payment["customFields"]: return "a test"
    if not payment["applied"]: return f'refund {payment["paymentId"]}: {payment["notAppliedReason"]}'
    if payment["status"]["value"] == "SUCCESS": return f'deliver {payment["qrCodeUid"]}'
    return f'{payment["qrCodeUid"]} was declined'


port = int(os.environ.get("PORT", "3000"))
try:
    server = ThreadingHTTPServer(("127.0.0.1", port), Receiver)
except OSError as error:
    sys.exit(f"cannot listen on port {port}: {error.strerror}")
Thread(target=server.serve_forever, daemon=True).start()
print(f"listening on http://127.0.0.1:{server.server_port}", flush=True)
while True:
    print(act(**work.get()), flush=True)
