/** Variables that change how something looks, and not what runs. */
const HARMLESS =
  /^(LANG|LANGUAGE|LC_[A-Z]+|TZ|NO_COLOR|FORCE_COLOR|CLICOLOR|CLICOLOR_FORCE|COLORTERM|COLUMNS|LINES|CI)$/;

/** May a command be given this variable by whoever asks for it, and still be known as safe? */
export function isHarmlessVariable(name: string): boolean {
  return HARMLESS.test(name);
}

/**
 * Variables by which one program is made to run another, load a library or read a configuration. For the environment of
 * a start, where clients set variables of their own and a list of the harmless ones cannot exist.
 */
const STEERING = [
  /^(LD|DYLD|GIT|BASH_FUNC|PERL|PYTHON|RUBY|NODE|JAVA|JDK|NPM_CONFIG|PIP|CARGO|RUST|GO|MAKE|TERMINFO|SSH|LESS|MAN)(_|$)/i,
  /^(PATH|IFS|ENV|BASH_ENV|SHELLOPTS|BASHOPTS|PS0|PS1|PS2|PS4|PROMPT_COMMAND|CDPATH|HOME|ZDOTDIR|SHELL|EDITOR|VISUAL)$/,
  /^(PERL5(LIB|OPT|DB)|PYTHON[A-Z]+|RUBY(OPT|LIB)|RIPGREP_CONFIG_PATH|GREP_OPTIONS|TAR_OPTIONS|LOCPATH|GCONV_PATH|NLSPATH)$/,
  /^(LESSOPEN|LESSCLOSE|HOSTALIASES|GLIBC_TUNABLES|MALLOC_[A-Z_]+|XDG_CONFIG_[A-Z]+|BROWSER|TAPE|POSIXLY_CORRECT)$/,
  /(^|_)(PAGER|EDITOR|COMMAND|ASKPASS|HOOK|OPTS|OPTIONS)$/,
];

/** Values with which a pager or an editor runs nothing that matters. */
const QUIET_VALUES = new Set(['', 'cat', 'true', ':']);

/** Could this variable, with this value, make a program do something else than its arguments say? */
export function isSteeringVariable(name: string, value: string): boolean {
  if (/(^|_)(PAGER|EDITOR)$/.test(name) && QUIET_VALUES.has(value)) {
    return false;
  }
  return STEERING.some((pattern) => pattern.test(name));
}
