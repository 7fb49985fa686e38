cask "{{.Name}}" do
  version "{{.Version}}"
  sha256 "SHA256({{.Name}}-{{.Version}}-macos.zip)"

  url "{{.Repository}}/releases/download/v#{version}/{{.Name}}-#{version}-macos.zip"
  name "{{.Title}}"
  desc "{{.Summary}}"
  homepage "{{.Repository}}"

  depends_on macos: ">= :monterey"

  app "{{.Title}}.app"
  binary "#{appdir}/{{.Title}}.app/Contents/MacOS/{{.Name}}"
  bash_completion "#{appdir}/{{.Title}}.app/Contents/Resources/completions/{{.Name}}"
  zsh_completion "#{appdir}/{{.Title}}.app/Contents/Resources/completions/_{{.Name}}"
  fish_completion "#{appdir}/{{.Title}}.app/Contents/Resources/completions/{{.Name}}.fish"
{{- range .Pages}}
  manpage "#{appdir}/{{$.Title}}.app/Contents/Resources/man/{{.}}"
{{- end}}
end
