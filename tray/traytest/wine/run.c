/*
 * Runs the command line that follows its own name, and ends with that program's
 * exit code. Wine kills what has not gone a second after it has ended, which in
 * one of some thirty times happens to a Go program with windows. From Linux that
 * looks like a crash; to another program for Windows it is the end that it was.
 */
#include <windows.h>

int main(void)
{
	WCHAR *line = GetCommandLineW();
	BOOL quoted = FALSE;
	STARTUPINFOW startup = { .cb = sizeof startup };
	PROCESS_INFORMATION process;
	DWORD code;

	while (*line && (quoted || *line != ' '))
		if (*line++ == '"')
			quoted = !quoted;
	while (*line == ' ')
		line++;
	if (!CreateProcessW(NULL, line, NULL, NULL, TRUE, 0, NULL, NULL, &startup, &process))
		return 126;
	WaitForSingleObject(process.hProcess, INFINITE);
	return GetExitCodeProcess(process.hProcess, &code) ? (int)code : 125;
}
