<?php
// Waits until the QR code is paid, or can be paid no more.
require __DIR__ . '/fps.php';

$code = waitForPayment('invoice-1');
echo "invoice-1 is {$code['qrCode']['status']}\n";
