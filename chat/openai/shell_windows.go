package openai

const systemShell = "powershell"
