/** A style sheet, which the bundler imports as text. */
declare module '*.css' {
  const text: string;
  export default text;
}
