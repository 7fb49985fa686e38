#!/bin/sh
# What a person would write: the server by ps, its ports by lsof, the key by
# sqlite3, the plan by curl. It takes the first port for the right one, and the
# token from /proc.
set -eu
server=$(ps -ww -eo pid=,args= | awk -v wanted="$WANTED" '$1 == wanted && $2 ~ /\/language_server_[^\/]*$/ { print $1; exit }')
token=$(tr '\0' '\n' <"/proc/$server/environ" | sed -n 's/^WINDSURF_CSRF_TOKEN=//p')
port=$(lsof -nP -iTCP -sTCP:LISTEN | awk -v server="$server" '$2 == server { sub(/.*:/, "", $9); print $9; exit }')
key=$(sqlite3 -readonly "$DATABASE" "SELECT json_extract(value, '$.apiKey') FROM ItemTable WHERE key = 'windsurfAuthStatus'")
sed "s/$KEY/$key/" "$REQUEST" | curl -sS --http1.1 -H 'Content-Type: application/json' -H "X-Codeium-Csrf-Token: $token" \
	-d @- "http://127.0.0.1:$port$METHOD"
