/** A style sheet, which the bundler provides as text. */
declare module '*.css' {
  const text: string;
  export default text;
}
