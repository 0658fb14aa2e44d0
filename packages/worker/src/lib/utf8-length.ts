const encoder = new TextEncoder();

/** How many bytes a text takes as UTF-8. */
function utf8Length(text: string): number {
  return encoder.encode(text).byteLength;
}

/** Whether a text takes at most so many bytes; most are so short that nothing has to be encoded. */
export function fitsIn(bytes: number, text: string): boolean {
  if (text.length > bytes) return false;
  return text.length * 3 <= bytes || utf8Length(text) <= bytes;
}
