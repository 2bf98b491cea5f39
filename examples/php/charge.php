<?php
// Saves a customer's account, and charges it without the customer.
require __DIR__ . '/fps.php';

$consent = 'consent-' . bin2hex(random_bytes(4));
$order = 'order-' . bin2hex(random_bytes(4));
$saved = createQrCode([
    'qrCodeUid' => $consent,
    'qrCode' => ['type' => 'TOKEN', 'ttl' => 60],
    'tokenizationPurpose' => 'Tea club',
    'tokenizationAccount' => 'customer-7',
]);
echo "the customer agrees on {$saved['pageUrl']}\n";
$bound = waitForPayment($consent);
$token = $bound['token']['value'] ?? null; // a secret: it charges the account
if ($token === null) {
    fwrite(STDERR, "$consent is {$bound['qrCode']['status']}\n");
    exit(1);
}

createQrCode(['qrCodeUid' => $order, 'qrCode' => ['type' => 'DYNAMIC'], 'amount' => ['value' => '5.00']]);
chargeToken($order, $token, 'customer-7');
$paid = waitForPayment($order, returnDeclined: true);
echo "$order is {$paid['qrCode']['status']}\n";
