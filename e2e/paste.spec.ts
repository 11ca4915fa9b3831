import { test } from './fixtures.ts';

test('what is pasted is text: its control characters are taken out, and the lines arrive as one paste', async ({
  shellscope,
}) => {
  const tab = await shellscope.openShell();
  // The program asks for bracketed pastes, and shows each byte that it is given.
  await shellscope.type(`stty raw -echo; printf '\\033[?2004hready\\r\\n'; cat -v\n`);
  await shellscope.expectScreen(tab, 'ready');
  const copied = 'one\ntwo\u0003\u001B[201~\u009B201~; three';
  await shellscope.inApp(({ clipboard }, text) => clipboard.writeText(text), copied);
  await shellscope.page.keyboard.press('Control+Shift+V');
  await shellscope.expectScreen(tab, /\^\[\[200~one\^M/);
  await shellscope.expectScreen(tab, /two\[201~201~; three\^\[\[201~/);
});
