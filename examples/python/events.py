"""Follows everything that happens on the site; cursor.txt has how far it is."""
import os, fps

stored = open("cursor.txt").read() if os.path.exists("cursor.txt") else ""
for page in fps.events(stored):
    for event in page["events"]:
        print(event["id"], event["type"], event.get("qrCodeUid", ""), flush=True)
    with open("cursor.txt", "w") as file:  # after the page is dealt with: a page can repeat, and none is lost
        file.write(page["nextCursor"])
