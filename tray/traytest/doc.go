// Package traytest gives tests of a tray application a separate desktop, on Linux.
// Only tests import it.
//
// There are two layers. [StartBus] is a private session bus without a screen;
// [Bus.Watch] puts a StatusNotifierWatcher on it that can leave and come back.
// [StartDesktop] is a bus with a whole desktop around it: an X server in memory,
// a window manager, a panel with nothing but a tray, a notification daemon. On an
// idle machine a bus starts in 20 ms and a desktop in 300 ms; any number of both
// may run side by side.
//
// In both, a program runs with [Bus.Env], or is started with [Bus.Start], and sees
// nothing of the developer's desktop, home or session. Its output is read over D-Bus:
// [Bus.Item] finds the icon of a process, [Item.MenuText] is the menu as a person
// reads it, [Item.Click] picks an entry, [Item.Signals] counts its signals on the bus,
// and [Bus.Notifications] are the requests for notifications. On a desktop,
// [Desktop.OpenMenu] clicks with a real pointer and [Desktop.Screenshot] saves a
// picture.
//
// Every helper fails its test itself, with the last state that it saw. Waiting is
// polling with a deadline. All processes end with the test, and with the test's
// process however that ends.
package traytest
