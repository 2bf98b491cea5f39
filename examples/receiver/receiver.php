<?php
// Receives notifications in PHP: verifies each, stores it once, answers, and acts on it afterwards.
declare(strict_types=1);

const MAX_AGE = 300; // seconds
const MAX_BYTES = 65_536;

/** What Signature covers, by type. An amount has two fraction digits: 5.00. */
function signedValues(array $notification): array
{
    $names = ['PAYMENT' => 'payment', 'REFUND' => 'refund', 'TOKEN' => 'token', 'QR_CODE' => 'qrCode', 'RECEIPT' => 'receipt', 'SETTLEMENT' => 'settlement'];
    $thing = $notification[$names[$notification['type']]];
    return match ($notification['type']) {
        'PAYMENT' => [$thing['paymentId'], $thing['createdDateTime'], digits($thing['amount'])],
        'REFUND' => [$thing['refundId'], $thing['createdDateTime'], digits($thing['amount'])],
        'TOKEN' => [$thing['merchantSiteUid'], $thing['account'], $thing['status']['value'], $thing['status']['changedDateTime']],
        'QR_CODE' => [$thing['merchantSiteUid'], $thing['qrCodeUid'], $thing['status']['value'], $thing['status']['changedDateTime']],
        'RECEIPT' => [$thing['merchantSiteUid'], $thing['receiptUid'], $thing['status']['value'], $thing['status']['changedDateTime']],
        'SETTLEMENT' => [$thing['merchantSiteUid'], $thing['settlementUid'], $thing['status']['value'], $thing['status']['changedDateTime']],
    };
}

function digits(array $amount): string
{
    return number_format($amount['value'], 2, '.', '');
}

/** The notification, if one of the keys made both of its signatures; else an exception says why not. */
function verify(array $keys, string $body): array
{
    $id = $_SERVER['HTTP_WEBHOOK_ID'] ?? '';
    $timestamp = $_SERVER['HTTP_WEBHOOK_TIMESTAMP'] ?? '';
    if (!ctype_digit($timestamp) || abs(time() - (int) $timestamp) > MAX_AGE) {
        throw new UnexpectedValueException('webhook-timestamp is not a time of the last five minutes');
    }
    $reason = 'none of the keys made webhook-signature';
    foreach ($keys as $key) {
        $mac = hash_hmac('sha256', "$id.$timestamp.$body", base64_decode($key), true);
        $given = explode(' ', $_SERVER['HTTP_WEBHOOK_SIGNATURE'] ?? '');
        if (!array_filter($given, fn ($each) => hash_equals('v1,' . base64_encode($mac), $each))) {
            continue;
        }
        $notification = json_decode($body, true, 32, JSON_THROW_ON_ERROR);
        $expected = hash_hmac('sha256', implode('|', signedValues($notification)), $key);
        if (hash_equals($expected, $_SERVER['HTTP_SIGNATURE'] ?? '')) {
            return $notification;
        }
        $reason = 'Signature is of another key: only the active key makes it';
    }
    throw new UnexpectedValueException($reason);
}

/**
 * Whether the notification is new. In a real shop this is a table with a unique id, written before the answer: a
 * notification that was answered with 2xx is not sent again. Here it is a directory, a file for each id.
 */
function store(string $id, string $body): bool
{
    $directory = getenv('NOTIFICATIONS') ?: sys_get_temp_dir() . '/notifications';
    $path = "$directory/" . hash('sha256', $id) . '.json';
    is_dir($directory) || @mkdir($directory, 0700, true);
    $file = @fopen($path, 'x'); // x: only the first one makes it
    if ($file !== false) {
        return fwrite($file, $body) === strlen($body) ?: throw new RuntimeException("cannot write $path");
    }
    return is_file($path) ? false : throw new RuntimeException("cannot make $path");
}

/** What it does about each type; a token's value is a secret, so it is not shown. */
function act(array $notification): string
{
    switch ($notification['type']) {
        case 'SETTLEMENT':
            return "settlement {$notification['settlement']['settlementUid']} is {$notification['settlement']['status']['value']}";
        case 'RECEIPT':
            return "receipt of {$notification['receipt']['paymentId']} is {$notification['receipt']['status']['value']}";
        case 'QR_CODE':
            return "{$notification['qrCode']['qrCodeUid']} is {$notification['qrCode']['status']['value']}";
        case 'TOKEN':
            return 'token for ' . ($notification['token']['account'] ?: 'a customer') . " is {$notification['token']['status']['value']}";
        case 'REFUND':
            $refund = $notification['refund'];
            $result = $refund['status']['value'] === 'SUCCESS' ? ': ' . digits($refund['amount']) : ' was declined';
            return "refund {$refund['refundId']} of {$refund['paymentId']}$result";
    }
    $payment = $notification['payment'];
    if (isset($notification['test']) || isset($payment['customFields']['test'])) {
        return 'a test';
    }
    if (!$payment['applied']) {
        return "refund {$payment['paymentId']}: {$payment['notAppliedReason']}";
    }
    return $payment['status']['value'] === 'SUCCESS' ? "deliver {$payment['qrCodeUid']}" : "{$payment['qrCodeUid']} was declined";
}

// The notification key; while it is replaced, both keys, separated by a comma.
$texts = explode(',', getenv('NOTIFICATION_KEYS') ?: '');
if (array_filter($texts, fn ($text) => !str_starts_with($text, 'whsec_'))) {
    error_log('NOTIFICATION_KEYS must be one key that begins with whsec_, or two, separated by a comma');
    http_response_code(500);
    exit;
}
try {
    $body = file_get_contents('php://input', false, null, 0, MAX_BYTES + 1);
    if (strlen($body) > MAX_BYTES) {
        throw new UnexpectedValueException('the body is larger than 64 KiB');
    }
    $notification = verify(array_map(fn ($text) => substr($text, strlen('whsec_')), $texts), $body);
} catch (UnexpectedValueException | JsonException $reason) {
    error_log("401: {$reason->getMessage()}");
    http_response_code(401);
    exit;
}
try {
    $isNew = store($_SERVER['HTTP_WEBHOOK_ID'], $body);
} catch (RuntimeException $fault) {
    error_log("500: {$fault->getMessage()}"); // it is sent again
    http_response_code(500);
    exit;
}
http_response_code(204);
if (function_exists('fastcgi_finish_request')) {
    fastcgi_finish_request(); // what follows may take its time
}
if ($isNew) {
    file_put_contents('php://stdout', act($notification) . "\n");
}
