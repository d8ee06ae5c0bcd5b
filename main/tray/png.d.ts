declare module '*.png?inline' {
  /** The image as a data: URL that the build inlines. */
  const url: string;
  export default url;
}
