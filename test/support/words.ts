/** The words of a text, for tables of strings without spaces. */
export const words = (text: string): string[] => text.trim().split(/\s+/);
