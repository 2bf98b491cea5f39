<?php
// Refunds half of the payment.
require __DIR__ . '/fps.php';

$uid = file_get_contents('order.txt');
$code = getQrCode($uid);
if ($code['qrCode']['status'] !== 'PAYED') {
    fwrite(STDERR, "$uid is {$code['qrCode']['status']}\n");
    exit(1);
}
$payment = $code['payment'];
$kopecks = intdiv((int) str_replace('.', '', $payment['amount']['value']), 2); // an amount has two fraction digits
refund($payment['paymentUid'], 'refund-1', sprintf('%d.%02d', intdiv($kopecks, 100), $kopecks % 100));
$refund = waitForRefund($payment['paymentUid'], 'refund-1');
echo "refund-1 of {$refund['amount']['value']} is {$refund['status']['value']}\n";
