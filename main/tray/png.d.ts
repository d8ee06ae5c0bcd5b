declare module '*.png?inline' {
  /** The picture as a data: URL, put into the code by the build. */
  const url: string;
  export default url;
}
