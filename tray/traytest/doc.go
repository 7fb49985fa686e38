// Package traytest gives tests of a tray application a desktop of their own, on
// Linux. Only tests import it.
//
// There are two layers. [StartBus] is a private session bus without a screen;
// [Bus.Watch] puts a StatusNotifierWatcher on it that can leave and come back.
// [StartDesktop] is a bus with a whole desktop around it: an X server in memory,
// a window manager, a panel with nothing but a tray, a notification daemon. On an
// idle machine a bus starts in 20 ms and a desktop in 300 ms; any number of both
// may run side by side.
//
// In both, a program runs with [Bus.Env], or is started with [Bus.Start], and
// sees none of the developer's own desktop, home or session. What it shows is
// read over D-Bus: [Bus.Item] finds the icon of a process, [Item.MenuText] is the
// menu as a person would read it, [Item.Click] picks an entry, [Item.Signals] counts
// what it sends on the bus, [Bus.Notifications] are what the desktop was asked to
// show. On a desktop, [Desktop.OpenMenu] clicks with a real
// pointer and [Desktop.Screenshot] keeps a picture.
//
// Every helper fails its test itself, with what it saw last. Waiting is polling
// with a deadline. All processes end with the test, and with the test's process
// however that ends.
package traytest
