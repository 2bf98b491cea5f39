<?php
// The client of one merchant site: sends requests, and repeats them with the same identifiers. Copy it, it is yours.
declare(strict_types=1);

const SITE = 'demo';
const ATTEMPT_SECONDS = 15; // for one answer; a long poll has its own time besides
const LIMIT_SECONDS = 60; // for an operation with its repeats; waits have none
const WAIT_SECONDS = 30; // of a long poll: proxies end connections that are silent for 60 seconds
const FINAL_STATUSES = ['PAYED', 'ACCEPTED', 'EXPIRED', 'CANCELLED'];

if (!extension_loaded('curl')) {
    fwrite(STDERR, "PHP's extension curl is missing; in Debian: apt-get install php-curl\n");
    exit(1);
}
if (!ctype_graph((string) getenv('TOKEN'))) { // not shown: it is a secret
    fwrite(STDERR, "TOKEN must be an access token, without white space\n");
    exit(1);
}

/** There was no answer: the request may have been carried out, so repeat it with the same identifiers. */
class NoAnswer extends RuntimeException
{
}

/** The service refused the request: $error says why, $cause names the broken fields. */
class Refused extends RuntimeException
{
    public readonly ?string $error;
    public readonly ?array $cause;
    public readonly ?string $traceId;

    public function __construct(public readonly int $status, string $body, public readonly float $retryAfter)
    {
        $answer = json_decode($body, true) ?? []; // a proxy answers without JSON
        $this->error = $answer['errorCode'] ?? null;
        $this->cause = $answer['cause'] ?? null;
        $this->traceId = $answer['traceId'] ?? null;
        $description = $answer['description'] ?? '';
        parent::__construct("$status {$this->error}: $description (trace {$this->traceId})");
    }
}

/**
 * The answer as ['status' => …, 'headers' => […], 'value' => …]; $path is below the site.
 * @param array{body?: array, headers?: string[], wait?: int, endless?: bool} $options
 * @throws Refused, NoAnswer
 */
function call(string $method, string $path, array $options = []): array
{
    $end = microtime(true) + LIMIT_SECONDS;
    for ($delay = 0.25; ; $delay = min(2 * $delay, 10)) {
        try {
            return attempt($method, $path, $options);
        } catch (Refused $failure) {
            if (($failure->status !== 429 && $failure->status < 500) || $failure->error === 'network.not.connected') {
                throw $failure;
            }
            $least = $failure->retryAfter;
        } catch (NoAnswer $failure) {
            $least = 0;
        }
        // Random, so that clients that failed together do not return together.
        $pause = $least + $delay * random_int(500, 1000) / 1000;
        if (!($options['endless'] ?? false) && microtime(true) + $pause > $end) {
            throw $failure;
        }
        fprintf(STDERR, "again in %.1f s: %s\n", $pause, $failure->getMessage());
        usleep((int) ($pause * 1e6));
    }
}

function attempt(string $method, string $path, array $options): array
{
    $wait = $options['wait'] ?? 0;
    $headers = ['Authorization: Bearer ' . getenv('TOKEN'), ...($options['headers'] ?? [])];
    if ($wait > 0) {
        $headers[] = "Prefer: wait=$wait";
    }
    $received = [];
    // Redirects are not followed, which is the default: one would send the access token to another address.
    $curl = curl_init((getenv('FPS_URL') ?: 'http://127.0.0.1:8787') . '/payin/v1/sites/' . SITE . $path);
    if (isset($options['body'])) {
        $headers[] = 'Content-Type: application/json';
        curl_setopt($curl, CURLOPT_POSTFIELDS, json_encode($options['body'], JSON_THROW_ON_ERROR));
    }
    curl_setopt_array($curl, [
        CURLOPT_CUSTOMREQUEST => $method,
        CURLOPT_HTTPHEADER => $headers,
        CURLOPT_TIMEOUT => ATTEMPT_SECONDS + $wait,
        CURLOPT_RETURNTRANSFER => true,
        CURLOPT_HEADERFUNCTION => function ($curl, string $line) use (&$received): int {
            [$name, $value] = explode(':', $line, 2) + [1 => ''];
            $received[strtolower($name)] = trim($value);
            return strlen($line);
        },
    ]);
    $body = curl_exec($curl);
    $status = curl_getinfo($curl, CURLINFO_RESPONSE_CODE);
    if ($body === false) {
        throw new NoAnswer(curl_error($curl));
    }
    if ($status === 304) {
        return ['status' => 304, 'headers' => $received, 'value' => null];
    }
    if ($status < 200 || $status > 299) {
        throw new Refused($status, $body, retryAfter($received['retry-after'] ?? '0'));
    }
    return ['status' => $status, 'headers' => $received, 'value' => json_decode($body, true, 32, JSON_THROW_ON_ERROR)];
}

/** Retry-After is seconds or a date; at most an hour. */
function retryAfter(string $header): float
{
    $seconds = ctype_digit($header) ? (float) $header : (strtotime($header) ?: 0) - microtime(true);
    return min(max(0, $seconds), 3600);
}

function qrCodePath(string $uid): string
{
    return '/sbp/qrCodes/' . rawurlencode($uid);
}

/** The QR code of this qrCodeUid; the same again returns it as it is now. */
function createQrCode(array $qrCode): array
{
    return call('POST', '/sbp/qrCodes', ['body' => $qrCode])['value'];
}

function getQrCode(string $uid): array
{
    return call('GET', qrCodePath($uid))['value'];
}

/** Waits until the status is final. */
function waitForPayment(string $uid, bool $returnDeclined = false): array
{
    return longPoll(qrCodePath($uid), function (array $code) use ($returnDeclined): bool {
        $status = $code['qrCode']['status'];
        return in_array($status, FINAL_STATUSES, true) || ($returnDeclined && $status === 'DECLINED');
    });
}

/** Long polls until it is over; breaks of any length do not end it. */
function longPoll(string $path, callable $isOver): array
{
    $answer = call('GET', $path, ['endless' => true]);
    [$value, $etag] = [$answer['value'], $answer['headers']['etag']];
    while (!$isOver($value)) {
        $long = ['headers' => ["If-None-Match: $etag"], 'wait' => WAIT_SECONDS, 'endless' => true];
        $answer = call('GET', $path, $long);
        if ($answer['status'] !== 304) {
            [$value, $etag] = [$answer['value'], $answer['headers']['etag']];
        }
        if (!isset($answer['headers']['preference-applied']) && !$isOver($value)) {
            sleep(2); // it did not wait: the service has too many long polls
        }
    }
    return $value;
}

function salePath(string $uid, string $saleUid): string
{
    return qrCodePath($uid) . "/sales/$saleUid";
}

/** Arms a COUNTER code; the same again returns the sale as it is now. Refused 409: another sale is ACTIVE. */
function armSale(string $uid, string $saleUid, array $sale): array
{
    return call('PUT', salePath($uid, $saleUid), ['body' => $sale])['value'];
}

/** Waits until the sale is PAYED, EXPIRED or CANCELLED. */
function waitForSale(string $uid, string $saleUid): array
{
    return longPoll(salePath($uid, $saleUid), fn (array $sale): bool => $sale['status'] !== 'ACTIVE');
}

/** Refunds once, however often it is repeated; WAITING at first. */
function refund(string $paymentUid, string $refundId, string $value): array
{
    $body = ['amount' => ['value' => $value]];
    return call('PUT', "/payments/$paymentUid/refunds/$refundId", ['body' => $body])['value'];
}

function waitForRefund(string $paymentUid, string $refundId): array
{
    for ($pause = 0.5; ; $pause = min(1.5 * $pause, 30)) {
        $refund = call('GET', "/payments/$paymentUid/refunds/$refundId", ['endless' => true])['value'];
        if ($refund['status']['value'] !== 'WAITING') {
            return $refund;
        }
        usleep((int) ($pause * 1e6));
    }
}

function chargeToken(string $uid, string $token, string $account): array
{
    $body = ['token' => $token, 'tokenizationAccount' => $account];
    return call('POST', qrCodePath($uid) . '/payments', ['body' => $body])['value'];
}

/** Pages of events, each as soon as it has one. Refused 410: after a restore, start again without a cursor. */
function events(string $after): Generator
{
    while (true) {
        $query = http_build_query(['limit' => 1000] + ($after === '' ? [] : ['after' => $after]));
        $answer = call('GET', "/events?$query", ['wait' => WAIT_SECONDS, 'endless' => true]);
        $page = $answer['value'];
        $after = $page['nextCursor'];
        if ($page['events']) {
            yield $page;
        } elseif (!isset($answer['headers']['preference-applied'])) {
            sleep(2); // the service has too many long polls
        }
    }
}
