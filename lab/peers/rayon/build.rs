// Links the work and the protocol that all candidates share. CMake passes their place.
fn main() {
    println!("cargo:rerun-if-env-changed=CALLISTO_PEER_ARCHIVE");
    let archive = std::env::var("CALLISTO_PEER_ARCHIVE").expect("CMake sets CALLISTO_PEER_ARCHIVE");
    println!("cargo:rerun-if-changed={archive}");
    println!("cargo:rustc-link-arg={archive}");
    println!("cargo:rustc-link-arg=-lstdc++");
    let lock = std::fs::read_to_string("Cargo.lock").unwrap_or_default();
    let version = lock
        .split("name = \"rayon\"\nversion = \"")
        .nth(1)
        .and_then(|rest| rest.split('"').next())
        .unwrap_or("unknown");
    println!("cargo:rustc-env=RAYON_VERSION={version}");
}
