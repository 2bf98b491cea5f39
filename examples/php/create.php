<?php
// Creates a QR code of 10.50 and shows it.
require __DIR__ . '/fps.php';

$uid = 'order-' . bin2hex(random_bytes(4));
file_put_contents('order.txt', $uid); // in a shop, the row of the order: it is stored before the request

$code = createQrCode([
    'qrCodeUid' => $uid,
    'qrCode' => ['type' => 'DYNAMIC', 'image' => ['mediaType' => 'image/svg+xml']],
    'amount' => ['value' => '10.50'], // a text: a float is not exact
    'redirectUrl' => 'http://127.0.0.1:8787/?paid', // a page of the shop: it asks whether the order is paid
]);
if (isset($code['qrCode']['image'])) {
    file_put_contents("$uid.svg", base64_decode($code['qrCode']['image']['content']));
}
echo "$uid is {$code['qrCode']['status']}: {$code['pageUrl']}\n";
