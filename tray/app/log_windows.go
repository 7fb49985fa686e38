package app

// notThrough is nothing here: it takes a privilege to make a link.
const notThrough = 0
