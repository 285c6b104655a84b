/** Names that git itself refuses to check out, in every spelling that some file system takes for `.git`. */
export const isForbidden = (name: string) =>
  name === '' || name === '.' || name === '..' || /[/\0]/.test(name) || /^(\.git|git~1)[ .]*(:.*)?$/i.test(plain(name));

/** Without the characters that some file systems ignore. */
const plain = (name: string) => name.replace(/[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g, '');
