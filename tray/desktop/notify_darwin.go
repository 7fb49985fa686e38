package desktop

import "windsock/tray/icon"

// notifyPicture goes with a notification.
func notifyPicture(i icon.Icon) any { return i.PNG(notifyIconSize) }
