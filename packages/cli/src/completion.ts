import { Argument, type Command } from 'commander';

/**
 * The scripts hand the words of a line to the command itself, which knows them best. Nothing of the line is evaluated: what
 * stands in it may be pasted. Where the command has no word to offer, file names are.
 */
const scripts = {
  bash: `_agora() {
  local word line words=()
  # Bash makes "=" a word of its own.
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD}"; do [[ $word == = ]] || words+=("$word"); done
  COMPREPLY=()
  while IFS= read -r line; do
    [[ $line == :[0-9]* ]] || COMPREPLY+=("\${line%%$'\\t'*}")
  done < <(agora complete -- "\${words[@]}" 2>/dev/null)
}
complete -o default -F _agora agora`,
  zsh: `#compdef agora
_agora() {
  local line
  local -a found
  while IFS= read -r line; do
    [[ $line == :<-> ]] || found+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}")
  done < <(agora complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)
  if (( $#found )); then _describe agora found; else _files; fi
}
compdef _agora agora`,
  fish: `function __agora_complete
  set -l words (commandline -opc) (commandline -ct)
  agora complete -- $words[2..] 2>/dev/null | string match -v -r '^:[0-9]+$'
end
complete -c agora -a '(__agora_complete)'`,
} as const;

type Shell = keyof typeof scripts;

/** Commands for shells that complete lines. `createProgram` makes the commands that they complete. */
export function addCompletionCommands(program: Command, createProgram: () => Command): void {
  program
    .command('completion')
    .description('Print what makes a shell complete lines: eval "$(agora completion bash)"')
    .addArgument(new Argument('<shell>').choices(Object.keys(scripts)))
    .action((shell: Shell) => console.log(scripts[shell]));
  program
    .command('complete', { hidden: true })
    .description('Print the words that may stand at the end of a line')
    .argument('[words...]')
    .action(async (words: string[]) => {
      const { default: tab } = await import('@bomb.sh/tab/commander');
      tab(createProgram()).parse(words);
    });
}
