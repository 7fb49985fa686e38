/*
 * What Go programs miss in Wine 8, which is that of Debian 12. They load this
 * library when they start, because Go has its random numbers from it since
 * version 1.22. Wine has one of its own since 8.13; where there are two, Windows
 * programs get this one, as it stands in their system directory.
 */
#include <windows.h>
#include <winternl.h>

/* RtlGenRandom, by the name under which advapi32.dll exports it. */
BOOLEAN NTAPI SystemFunction036(void *buffer, ULONG size);

__declspec(dllexport) BOOL WINAPI ProcessPrng(BYTE *buffer, SIZE_T size)
{
	const ULONG most = 1UL << 20;

	while (size > 0) {
		ULONG part = size < most ? (ULONG)size : most;
		if (!SystemFunction036(buffer, part))
			return FALSE;
		buffer += part;
		size -= part;
	}
	return TRUE;
}

typedef NTSTATUS NTAPI set_information_file(HANDLE, IO_STATUS_BLOCK *, void *, ULONG, int);
typedef FARPROC WINAPI get_proc_address(HMODULE, const char *);

static set_information_file *set_information;
static get_proc_address *get_proc;

/*
 * os.RemoveAll deletes in the way of Windows 10, and in the way before that where
 * the system has no such information class. Wine 8 has not, but says it in words
 * that Go does not expect.
 */
static NTSTATUS NTAPI in_words_of_windows(HANDLE file, IO_STATUS_BLOCK *status, void *data, ULONG size, int class)
{
	const NTSTATUS not_implemented = 0xC0000002, invalid_info_class = 0xC0000003;
	NTSTATUS result = set_information(file, status, data, size, class);

	return result == not_implemented ? invalid_info_class : result;
}

static FARPROC WINAPI find(HMODULE module, const char *name)
{
	FARPROC found = get_proc(module, name);

	if (!found || IS_INTRESOURCE(name) || lstrcmpA(name, "NtSetInformationFile"))
		return found;
	set_information = (set_information_file *)found;
	return (FARPROC)in_words_of_windows;
}

/* A Go program imports GetProcAddress, and finds nearly all else by that. */
static void replace_get_proc_address(void)
{
	FARPROC original = GetProcAddress(GetModuleHandleA("kernel32.dll"), "GetProcAddress");
	BYTE *program = (BYTE *)GetModuleHandleA(NULL);
	IMAGE_NT_HEADERS *headers = (IMAGE_NT_HEADERS *)(program + ((IMAGE_DOS_HEADER *)program)->e_lfanew);
	IMAGE_DATA_DIRECTORY imports = headers->OptionalHeader.DataDirectory[IMAGE_DIRECTORY_ENTRY_IMPORT];
	IMAGE_IMPORT_DESCRIPTOR *library = (IMAGE_IMPORT_DESCRIPTOR *)(program + imports.VirtualAddress);

	if (!imports.Size)
		return;
	get_proc = (get_proc_address *)original;
	for (; library->FirstThunk; library++) {
		FARPROC *address = (FARPROC *)(program + library->FirstThunk);
		for (; *address; address++) {
			DWORD mode;
			if (*address != original || !VirtualProtect(address, sizeof *address, PAGE_READWRITE, &mode))
				continue;
			*address = (FARPROC)find;
			VirtualProtect(address, sizeof *address, mode, &mode);
		}
	}
}

BOOL WINAPI DllMain(HINSTANCE library, DWORD reason, void *reserved)
{
	(void)library;
	(void)reserved;
	if (reason == DLL_PROCESS_ATTACH)
		replace_get_proc_address();
	return TRUE;
}
