// Holds the libraries of the window's page against the npm packages that they were
// taken from, as vendor.json beside them lists them: each file is the package's byte
// for byte, with the checksum listed, under the licence listed, and nothing else lies
// there. No package's scripts are run. With --update it takes the files anew.
//
// Usage: node packaging/vendor.mjs [--update] [DIR]
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";

const args = process.argv.slice(2);
const update = args[0] === "--update" && args.shift();
const dir = args[0] ?? "assets/window/vendor";
const listed = JSON.parse(readFileSync(join(dir, "vendor.json"), "utf8"));
const wrong = [];
const known = new Set(["vendor.json"]);
const read = (path) => { try { return readFileSync(path); } catch { return undefined; } };
const checksum = (data) => createHash("sha256").update(data).digest("hex");
const walk = (at) => readdirSync(at).flatMap((name) => {
	const path = join(at, name);
	return statSync(path).isDirectory() ? walk(path) : [path];
});

for (const library of listed) {
	const work = mkdtempSync(join(tmpdir(), "vendor-"));
	try {
		const spec = `${library.name}@${library.version}`;
		const archive = execFileSync("npm", ["pack", "--silent", "--ignore-scripts", spec], { cwd: work, encoding: "utf8" }).trim();
		execFileSync("tar", ["-xzf", archive, "--strip-components=1"], { cwd: work });
		const { version, license } = JSON.parse(readFileSync(join(work, "package.json"), "utf8"));
		if (version !== library.version || license !== library.licence) wrong.push(`${spec}: the package is ${version} under ${license}, the list has ${library.licence}`);
		for (const file of library.files) {
			known.add(file.file);
			const here = join(dir, file.file);
			const theirs = read(join(work, file.source));
			if (!theirs) { wrong.push(`${file.file}: ${spec} has no ${file.source}`); continue; }
			if (update) {
				mkdirSync(dirname(here), { recursive: true });
				writeFileSync(here, theirs);
				file.sha256 = checksum(theirs);
			}
			if (!read(here)?.equals(theirs)) wrong.push(`${file.file}: it is not ${file.source} of ${spec}`);
			if (checksum(theirs) !== file.sha256) wrong.push(`${file.file}: the checksum of ${file.source} is ${checksum(theirs)}, the list has ${file.sha256}`);
		}
	} finally {
		rmSync(work, { recursive: true });
	}
}
if (update) writeFileSync(join(dir, "vendor.json"), JSON.stringify(listed, null, 2) + "\n");
for (const path of walk(dir)) {
	if (!known.has(relative(dir, path))) wrong.push(`${relative(dir, path)}: the list does not have it`);
}
if (wrong.length > 0 || listed.length === 0) {
	console.error(["vendor.mjs: the libraries are not what the list says", ...wrong].join("\n"));
	process.exit(1);
}
