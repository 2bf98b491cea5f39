<?php
// Arms the printed code of a counter for a sale, and waits until it is paid, or can be paid no more.
require __DIR__ . '/fps.php';

$till = createQrCode(['qrCodeUid' => 'till-1', 'qrCode' => ['type' => 'COUNTER']]);
echo "print the code of {$till['pageUrl']}\n";
armSale('till-1', 'receipt-1', ['amount' => ['value' => '149.50'], 'paymentPurpose' => 'Tea']);
$sale = waitForSale('till-1', 'receipt-1');
echo "receipt-1 is {$sale['status']}\n";
