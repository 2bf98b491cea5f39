<?php
// Waits until the QR code is paid, or can be paid no more.
require __DIR__ . '/fps.php';

$uid = file_get_contents('order.txt');
$code = waitForPayment($uid);
echo "$uid is {$code['qrCode']['status']}\n";
