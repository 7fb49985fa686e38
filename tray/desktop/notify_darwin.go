package desktop

import "windsock/tray/icon"

// notifyPicture is the picture of a notification.
func notifyPicture(i icon.Icon) any { return i.PNG(notifyIconSize) }
