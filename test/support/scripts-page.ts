// A page with a line in every script that the image must be able to draw, and code that finds characters without a
// glyph.

/** A line of text in each script. */
export const lines: Readonly<Record<string, string>> = {
  Latin: 'Größe, ça va, Ångström, žluťoučký, Đặng',
  Greek: 'Καλημέρα κόσμε',
  Cyrillic: 'Здравствуйте, їжак',
  Armenian: 'Բարեւ ձեզ',
  Georgian: 'გამარჯობა',
  Hebrew: 'שלום עולם',
  Arabic: 'السلام عليكم',
  Persian: 'سلام دنیا گچپژ',
  Urdu: 'ہیلو دنیا ٹڈڑ',
  Syriac: 'ܫܠܡܐ',
  Thaana: 'ހެލޯ',
  Devanagari: 'नमस्ते दुनिया',
  Bengali: 'ওহে বিশ্ব',
  Gurmukhi: 'ਸਤ ਸ੍ਰੀ ਅਕਾਲ',
  Gujarati: 'નમસ્તે',
  Oriya: 'ନମସ୍କାର',
  Tamil: 'வணக்கம்',
  Telugu: 'నమస్కారం',
  Kannada: 'ನಮಸ್ಕಾರ',
  Malayalam: 'നമസ്കാരം',
  Sinhala: 'ආයුබෝවන්',
  Thai: 'สวัสดีชาวโลก',
  Lao: 'ສະບາຍດີ',
  Tibetan: 'བཀྲ་ཤིས་བདེ་ལེགས',
  Myanmar: 'မင်္ဂလာပါ',
  Khmer: 'សួស្តី',
  Ethiopic: 'ሰላም ልዑል',
  Cherokee: 'ᎣᏏᏲ',
  Mongolian: 'ᠮᠣᠩᠭᠣᠯ',
  'Canadian syllabics': 'ᐊᐃᓐᖓᐃ',
  Tifinagh: 'ⴰⵣⵓⵍ',
  'Simplified Chinese': '你好，世界。简体汉字',
  'Traditional Chinese': '你好，世界。繁體漢字',
  Japanese: 'こんにちは世界、カタカナ',
  Korean: '안녕하세요 세계',
  Emoji: '😀🚀🇩🇪👩‍💻🫠',
  Symbols: '€ £ ¥ ₹ ₽ ₿ → ⇒ ✓ ✗ ★ ☎ ♥ ∑ ∞ ≠ ½ ™',
};

export const scriptsPage = `<!doctype html><meta charset="utf-8"><title>Scripts</title>
<style>body { font: 22px/1.5 sans-serif; columns: 2; margin: 20px } b { font-size: 13px; display: inline-block; width: 150px }</style>
${Object.entries(lines)
  .map(([name, text]) => `<div><b>${name}</b>${text}</div>`)
  .join('\n')}`;

/**
 * A module for /function: returns the characters that are drawn like a code point without a glyph, and the widths of
 * text in fonts that replace each other.
 */
export const findMissing = `export default async ({ page, context }) => {
  const data = await page.evaluate(({ lines, pairs }) => {
    const canvas = document.createElement('canvas');
    canvas.width = canvas.height = 96;
    const pen = canvas.getContext('2d', { willReadFrequently: true });
    const drawn = (text) => {
      pen.clearRect(0, 0, 96, 96);
      pen.font = '40px sans-serif';
      pen.fillText(text, 20, 60);
      return pen.getImageData(0, 0, 96, 96).data.join();
    };
    // Never assigned, so no font has them.
    const boxes = new Set(['\\u0378', '\\u{2FFFF}', '\\u{EFFFF}'].map(drawn));
    const blank = drawn(' ');
    const missing = {};
    for (const [name, text] of Object.entries(lines)) {
      const bad = [...text].filter((one) => {
        if (/[\\s\\p{Cf}\\p{M}\\uFE0F]/u.test(one)) return false;
        const picture = drawn(one);
        return boxes.has(picture) || picture === blank;
      });
      if (bad.length > 0) missing[name] = bad.join(' ');
    }
    const width = (font) => { pen.font = '40px ' + font; return pen.measureText('Hamburgefonstiv 0123456789').width; };
    const widths = pairs.map(([asked, instead]) => [asked, width('"' + asked + '", monospace'), width('"' + instead + '"')]);
    // Where this is false the test could never fail.
    return { missing, boxesAreDrawn: !boxes.has(blank), finds: boxes.has(drawn('\\u{3FFFF}')), widths };
  }, context);
  return { data, type: 'application/json' };
};`;

/** Fonts that documents ask for, each with the font that must replace it. */
export const standIns: readonly (readonly [string, string])[] = [
  ['Calibri', 'Carlito'],
  ['Cambria', 'Caladea'],
  ['Arial', 'Liberation Sans'],
  ['Times New Roman', 'Liberation Serif'],
  ['Segoe UI', 'Noto Sans'],
  ['Tahoma', 'Noto Sans'],
];
