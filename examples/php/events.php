<?php
// Follows everything that happens on the site; cursor.txt has how far it is.
require __DIR__ . '/fps.php';

$stored = is_file('cursor.txt') ? file_get_contents('cursor.txt') : '';
foreach (events($stored) as $page) {
    foreach ($page['events'] as $event) {
        echo "{$event['id']} {$event['type']} " . ($event['qrCodeUid'] ?? '') . "\n";
    }
    // After the page is dealt with: a page can repeat, and none is lost.
    file_put_contents('cursor.txt', $page['nextCursor']);
}
