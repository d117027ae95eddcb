"""What is known of a policy: cases run by pytest, preview, proof and contract strength."""
