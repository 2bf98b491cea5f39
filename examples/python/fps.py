"""The client of one merchant site: sends requests, and repeats them with the same identifiers. Copy it, it is yours."""
import email.utils, http.client, json, os, random, re, sys, time, urllib.error, urllib.parse, urllib.request

ADDRESS = os.environ.get("FPS_URL", "http://127.0.0.1:8787")
SITE = "demo"
TOKEN = os.environ.get("TOKEN", "")
ATTEMPT_SECONDS = 15  # for one answer; a long poll has its own time besides
LIMIT_SECONDS = 60  # for an operation with its repeats; waits have none
WAIT_SECONDS = 30  # of a long poll: proxies end connections that are silent for 60 seconds
FINAL = ["PAYED", "ACCEPTED", "EXPIRED", "CANCELLED"]

if not re.fullmatch("[!-~]+", TOKEN):  # not shown: the error of a header would show it
    sys.exit("TOKEN must be an access token, without white space")


class Refused(Exception):
    """The service refused the request: `code` says why, `cause` names the broken fields."""

    def __init__(self, status, headers, body):
        try:
            answer = json.loads(body)
        except ValueError:
            answer = {}  # a proxy answered
        self.status, self.code, self.cause = status, answer.get("errorCode"), answer.get("cause")
        self.trace_id = answer.get("traceId")
        self.retry_after = seconds(headers.get("Retry-After", "0"))
        super().__init__(f"{status} {self.code}: {answer.get('description')} (trace {self.trace_id})")


class NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None  # it would send the access token to another address


OPENER = urllib.request.build_opener(NoRedirect)


def call(method, path, body=None, headers={}, wait=0, endless=False):
    """The answer as (status, headers, value); `path` is below the site. Raises Refused, or OSError without an answer."""
    end = time.monotonic() + LIMIT_SECONDS
    delay = 0.25
    while True:
        try:
            return attempt(method, path, body, headers, wait)
        except Refused as error:
            if error.status != 429 and error.status < 500 or error.code == "network.not.connected":
                raise
            failure, least = error, error.retry_after
        except (OSError, http.client.HTTPException) as error:  # no connection, or the answer was lost
            failure, least = error, 0
        # Random, so that clients that failed together do not return together.
        pause = least + delay * random.uniform(0.5, 1)
        if not endless and time.monotonic() + pause > end:
            raise failure
        print(f"again in {pause:.1f} s: {failure}", file=sys.stderr)
        time.sleep(pause)
        delay = min(2 * delay, 10)


def attempt(method, path, body, headers, wait):
    request = urllib.request.Request(f"{ADDRESS}/payin/v1/sites/{SITE}{path}", method=method)
    request.add_header("Authorization", f"Bearer {TOKEN}")
    if body is not None:
        request.data = json.dumps(body).encode()
        request.add_header("Content-Type", "application/json")
    if wait:
        request.add_header("Prefer", f"wait={wait}")
    for name, value in headers.items():
        request.add_header(name, value)
    try:
        with OPENER.open(request, timeout=ATTEMPT_SECONDS + wait) as response:
            return response.status, response.headers, json.loads(response.read())
    except urllib.error.HTTPError as error:
        with error:
            if error.code == 304:
                return 304, error.headers, None
            raise Refused(error.code, error.headers, error.read()) from None


def seconds(retry_after):
    """Retry-After is seconds or a date; at most an hour."""
    if not retry_after.isdecimal():
        date = email.utils.parsedate_tz(retry_after)
        retry_after = email.utils.mktime_tz(date) - time.time() if date else 0
    return min(max(0, float(retry_after)), 3600)


def qr_code_path(uid):
    return "/sbp/qrCodes/" + urllib.parse.quote(uid, safe="")


def create(qr_code):
    """The QR code of this qrCodeUid; the same again returns it as it is now."""
    return call("POST", "/sbp/qrCodes", qr_code)[2]


def get(uid):
    return call("GET", qr_code_path(uid))[2]


def wait_for_payment(uid, return_declined=False):
    """Waits until the status is final."""
    def is_over(code):
        status = code["qrCode"]["status"]
        return status in FINAL or return_declined and status == "DECLINED"

    return long_poll(qr_code_path(uid), is_over)


def long_poll(path, is_over):
    """Long polls until it is over; breaks of any length do not end it."""
    _, headers, value = call("GET", path, endless=True)
    etag = headers["ETag"]
    while not is_over(value):
        known = {"If-None-Match": etag}
        status, headers, answer = call("GET", path, headers=known, wait=WAIT_SECONDS, endless=True)
        if status != 304:
            value, etag = answer, headers["ETag"]
        if "Preference-Applied" not in headers and not is_over(value):
            time.sleep(2)  # it did not wait: the service has too many long polls
    return value


def sale_path(uid, sale_uid):
    return f"{qr_code_path(uid)}/sales/{sale_uid}"


def arm_sale(uid, sale_uid, sale):
    """Arms a COUNTER code; the same again returns the sale as it is now. Refused 409: another sale is ACTIVE."""
    return call("PUT", sale_path(uid, sale_uid), sale)[2]


def wait_for_sale(uid, sale_uid):
    """Waits until the sale is PAYED, EXPIRED or CANCELLED."""
    return long_poll(sale_path(uid, sale_uid), lambda sale: sale["status"] != "ACTIVE")


def refund(payment_uid, refund_id, value):
    """Refunds once, however often it is repeated; WAITING at first."""
    return call("PUT", f"/payments/{payment_uid}/refunds/{refund_id}", {"amount": {"value": value}})[2]


def wait_for_refund(payment_uid, refund_id):
    pause = 0.5
    while True:
        refund = call("GET", f"/payments/{payment_uid}/refunds/{refund_id}", endless=True)[2]
        if refund["status"]["value"] != "WAITING":
            return refund
        time.sleep(pause)
        pause = min(1.5 * pause, 30)


def charge_token(uid, token, account):
    return call("POST", qr_code_path(uid) + "/payments", {"token": token, "tokenizationAccount": account})[2]


def events(after):
    """Pages of events, each as soon as it has one. Refused 410: after a restore, start again without a cursor."""
    while True:
        query = urllib.parse.urlencode({"limit": 1000, **({"after": after} if after else {})})
        _, headers, page = call("GET", f"/events?{query}", wait=WAIT_SECONDS, endless=True)
        after = page["nextCursor"]
        if page["events"]:
            yield page
        elif "Preference-Applied" not in headers:
            time.sleep(2)  # the service has too many long polls
