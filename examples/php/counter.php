<?php
// Arms the printed code of a counter for a sale, and waits until it is paid, or can be paid no more.
require __DIR__ . '/fps.php';

$code = 'till-' . bin2hex(random_bytes(4)); // in a shop, the number of the till
$till = createQrCode(['qrCodeUid' => $code, 'qrCode' => ['type' => 'COUNTER']]);
echo "print the code of {$till['pageUrl']}\n";
armSale($code, 'receipt-1', ['amount' => ['value' => '149.50'], 'paymentPurpose' => 'Tea']);
$sale = waitForSale($code, 'receipt-1');
echo "receipt-1 is {$sale['status']}\n";
