<?php
// Creates a QR code of 10.50 and shows it.
require __DIR__ . '/fps.php';

$code = createQrCode([
    'qrCodeUid' => 'invoice-1',
    'qrCode' => ['type' => 'DYNAMIC', 'image' => ['mediaType' => 'image/svg+xml']],
    'amount' => ['value' => '10.50'], // a text: a float is not exact
]);
if (isset($code['qrCode']['image'])) {
    file_put_contents('invoice-1.svg', base64_decode($code['qrCode']['image']['content']));
}
echo "invoice-1 is {$code['qrCode']['status']}: {$code['pageUrl']}\n";
