package app

// notThrough is 0 here: only a privileged user can make a link.
const notThrough = 0
