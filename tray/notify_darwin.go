package tray

// notifyPicture goes with a notification.
func notifyPicture() any { return notifyIcon.PNG(notifyIconSize) }
