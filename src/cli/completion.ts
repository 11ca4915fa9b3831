import type { Command, Option } from 'commander';

/** What can be written after a command's name. */
interface CompletedCommand {
  readonly name: string;
  readonly description: string;
  readonly options: readonly CompletedOption[];
  /** Words that its first argument can be, or commands of its own. */
  readonly words: readonly string[];
  /** Its arguments are ids of sessions. */
  readonly takesIds: boolean;
}

interface CompletedOption {
  readonly flags: readonly string[];
  readonly description: string;
  readonly takesValue: boolean;
  readonly choices: readonly string[];
}

/**
 * A script for the shell, made from the commands themselves. Ids are asked for when they are needed. What no rule knows
 * is completed as a file's name.
 */
export function completionScript(shell: 'bash' | 'zsh' | 'fish', program: Command): string {
  const commands = program.commands.map(completed);
  switch (shell) {
    case 'bash':
      return bashScript(commands);
    case 'zsh':
      // zsh runs the function for bash by an emulation that comes with it.
      return `autoload -U +X compinit && compinit\nautoload -U +X bashcompinit && bashcompinit\n${bashScript(commands)}`;
    case 'fish':
      return fishScript(commands);
  }
}

function completed(command: Command): CompletedCommand {
  const [argument] = command.registeredArguments;
  return {
    name: command.name(),
    description: command.description(),
    options: [...command.options.map(completedOption), HELP],
    words: argument?.argChoices ?? command.commands.map((inner) => inner.name()),
    takesIds: argument?.name() === 'id',
  };
}

const HELP: CompletedOption = {
  flags: ['-h', '--help'],
  description: 'display help for command',
  takesValue: false,
  choices: [],
};

function completedOption(option: Option): CompletedOption {
  return {
    flags: [option.short, option.long].filter((flag): flag is string => flag != null),
    description: option.description,
    takesValue: option.required || option.optional,
    choices: option.argChoices ?? [],
  };
}

function bashScript(commands: readonly CompletedCommand[]): string {
  const cases = commands.map(({ name, options, words, takesIds }) => {
    const choices = options
      .filter((option) => option.takesValue)
      .map(({ flags, choices: values }) => `        ${flags.join('|')}) ${bashReply(values)}; return ;;\n`);
    const positional = takesIds ? '$(shellscope ls --quiet 2>/dev/null)' : words.join(' ');
    return (
      `    ${name})\n` +
      (choices.length === 0 ? '' : `      case $previous in\n${choices.join('')}      esac\n`) +
      `      if [[ $current == -* ]]; then\n        COMPREPLY=($(compgen -W '${options.flatMap(({ flags }) => flags).join(' ')}' -- "$current"))\n` +
      (positional === '' ? '' : `      else\n        COMPREPLY=($(compgen -W "${positional}" -- "$current"))\n`) +
      '      fi ;;\n'
    );
  });
  const names = commands.map(({ name }) => name).join(' ');
  return `# bash completion of shellscope
_shellscope() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]} word
  COMPREPLY=()
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    [[ $word == -- ]] && return
  done
  if ((COMP_CWORD == 1)); then
    COMPREPLY=($(compgen -W '${names} --help --version' -- "$current"))
    return
  fi
  case \${COMP_WORDS[1]} in
${cases.join('')}  esac
}
complete -o default -F _shellscope shellscope
`;
}

/** No choices: a value that only the person knows, or a file. */
function bashReply(values: readonly string[]): string {
  return values.length === 0 ? ':' : `COMPREPLY=($(compgen -W '${values.join(' ')}' -- "$current"))`;
}

function fishScript(commands: readonly CompletedCommand[]): string {
  const lines = commands.flatMap(({ name, description, options, words, takesIds }) => {
    const inIt = `complete -c shellscope -n '__fish_seen_subcommand_from ${name}'`;
    const positional = takesIds ? '(shellscope ls --quiet 2>/dev/null)' : words.join(' ');
    return [
      `complete -c shellscope -f -n '__fish_use_subcommand' -a ${name} -d ${fishQuoted(description)}`,
      ...(positional === '' ? [] : [`${inIt} -f -a '${positional}'`]),
      ...options.map(({ flags, description: text, takesValue, choices }) =>
        [
          inIt,
          ...flags.map((flag) => (flag.startsWith('--') ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`)),
          ...(takesValue ? ['-r'] : []),
          ...(choices.length === 0 ? [] : [`-f -a '${choices.join(' ')}'`]),
          `-d ${fishQuoted(text)}`,
        ].join(' '),
      ),
    ];
  });
  return `# fish completion of shellscope\n${lines.join('\n')}\n`;
}

function fishQuoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
