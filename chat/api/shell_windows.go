package api

const systemShell = "powershell"
