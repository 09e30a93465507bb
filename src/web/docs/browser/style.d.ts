/** A style sheet, which the bundler gives as a text. */
declare module '*.css' {
  const text: string;
  export default text;
}
