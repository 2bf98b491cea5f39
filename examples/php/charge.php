<?php
// Saves a customer's account, and charges it without the customer.
require __DIR__ . '/fps.php';

$saved = createQrCode([
    'qrCodeUid' => 'consent-7',
    'qrCode' => ['type' => 'TOKEN', 'ttl' => 60],
    'tokenizationPurpose' => 'Tea club',
    'tokenizationAccount' => 'customer-7',
]);
echo "the customer agrees on {$saved['pageUrl']}\n";
$bound = waitForPayment('consent-7');
$token = $bound['token']['value'] ?? null; // a secret: it charges the account
if ($token === null) {
    fwrite(STDERR, "consent-7 is {$bound['qrCode']['status']}\n");
    exit(1);
}

createQrCode(['qrCodeUid' => 'invoice-2', 'qrCode' => ['type' => 'DYNAMIC'], 'amount' => ['value' => '5.00']]);
chargeToken('invoice-2', $token, 'customer-7');
$paid = waitForPayment('invoice-2', returnDeclined: true);
echo "invoice-2 is {$paid['qrCode']['status']}\n";
