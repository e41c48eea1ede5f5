/** Programs that only look at what they are given. Some have flags that do more: commands-hatches.ts. */
export const PLAIN_READERS: readonly string[] =
  'ls cat head tail wc grep egrep fgrep rg sort uniq cut tr paste nl fold fmt rev tac join comm column expand unexpand diff cmp od xxd hexdump strings stat file du df tree find fd basename dirname realpath readlink pwd echo printf date whoami id uname sha1sum sha256sum sha512sum md5sum cksum b2sum base64 seq sleep true false test which jq sed'.split(
    ' ',
  );

/** A program that only looks: its flags need no table beyond the one it may have. */
export function isPlainReader(name: string): boolean {
  return PLAIN_READERS.includes(name);
}
