/** What a shell loads. Each asks `flyball __complete` with the words so far; a line is `word<tab>about`, or `:files`. */
export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

const BASH = `# flyball completions for bash
_flyball() {
  local line word
  COMPREPLY=()
  local words=("\${COMP_WORDS[@]:1:COMP_CWORD}")
  while IFS= read -r line; do
    if [ "$line" = ":files" ]; then
      compopt -o default 2>/dev/null
      continue
    fi
    word="\${line%%$'\\t'*}"
    # readline splits words at colons, and wants the part behind the last one
    if [[ "\${COMP_WORDS[COMP_CWORD]}" == *:* && "$COMP_WORDBREAKS" == *:* ]]; then
      word="\${word#"\${COMP_WORDS[COMP_CWORD]%\${COMP_WORDS[COMP_CWORD]##*:}}"}"
    fi
    COMPREPLY+=("$word")
  done < <(flyball __complete -- "\${words[@]}" 2>/dev/null)
}
complete -F _flyball flyball
`;

const ZSH = `#compdef flyball
# flyball completions for zsh
_flyball() {
  local -a found
  local line
  for line in "\${(@f)$(flyball __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    if [[ "$line" == ":files" ]]; then
      _files
    elif [[ -n "$line" ]]; then
      found+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}")
    fi
  done
  (( \${#found} )) && _describe 'flyball' found
}
if [ "$funcstack[1]" = "_flyball" ]; then _flyball; else compdef _flyball flyball; fi
`;

const FISH = `# flyball completions for fish
function __flyball_complete
  set -l words (commandline -opc) (commandline -ct)
  for line in (flyball __complete -- $words[2..-1] 2>/dev/null)
    if test "$line" = ":files"
      __fish_complete_path (commandline -ct)
    else
      echo $line
    end
  end
end
complete -c flyball -f -a '(__flyball_complete)'
`;

const SCRIPTS: Readonly<Record<Shell, string>> = { bash: BASH, zsh: ZSH, fish: FISH };

export function completionScript(shell: Shell): string {
  return SCRIPTS[shell];
}
