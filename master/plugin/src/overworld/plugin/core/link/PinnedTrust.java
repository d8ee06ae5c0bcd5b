package overworld.plugin.core.link;

import java.net.Socket;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedTrustManager;

/**
 * Trusts exactly one certificate: the master's self-signed one, identified by the SHA-256 of its DER form. Ignores
 * the names and dates in the certificate. Extends X509ExtendedTrustManager because Java adds checks of its own to a
 * plain trust manager.
 */
final class PinnedTrust extends X509ExtendedTrustManager {
    private final byte[] fingerprint;

    /**
     * Creates a trust manager for one certificate.
     *
     * @param fingerprint 64 hexadecimal digits
     */
    PinnedTrust(String fingerprint) {
        this.fingerprint = new byte[fingerprint.length() / 2];
        for (int i = 0; i < this.fingerprint.length; i++) {
            this.fingerprint[i] = (byte) Integer.parseInt(fingerprint.substring(2 * i, 2 * i + 2), 16);
        }
    }

    private void check(X509Certificate[] chain) throws CertificateException {
        if (chain == null || chain.length == 0) {
            throw new CertificateException("the server presents no certificate");
        }
        try {
            byte[] shown = MessageDigest.getInstance("SHA-256").digest(chain[0].getEncoded());
            if (!MessageDigest.isEqual(shown, fingerprint)) {
                throw new CertificateException("the server presents a certificate that is not the master's");
            }
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket) throws CertificateException {
        check(chain);
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine) throws CertificateException {
        check(chain);
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type) throws CertificateException {
        check(chain);
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket) throws CertificateException {
        throw new CertificateException("client certificates are not supported");
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine) throws CertificateException {
        throw new CertificateException("client certificates are not supported");
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type) throws CertificateException {
        throw new CertificateException("client certificates are not supported");
    }

    @Override
    public X509Certificate[] getAcceptedIssuers() {
        return new X509Certificate[0];
    }
}
