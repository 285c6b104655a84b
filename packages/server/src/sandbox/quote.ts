/** A text as one word of a shell's command. */
export const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
