"""The papers behind the metrics, as BibTeX."""

ANANTHAMURUGAN_2024 = """\
@misc{ananthamurugan2024caspr,
  title = {{CASPR}: Automated Evaluation Metric for Contrastive Summarization},
  author = {Ananthamurugan, Nirupan and Duong, Dat and George, Philip and Gupta, Ankita and
            Tata, Sandeep and Gunel, Beliz},
  year = {2024},
  eprint = {2404.15565},
  archivePrefix = {arXiv},
}
"""

BHASKAR_2022 = """\
@misc{bhaskar2022zeroshot,
  title = {Zero-Shot Opinion Summarization with {GPT}-3},
  author = {Bhaskar, Adithya and Fabbri, Alexander R. and Durrett, Greg},
  year = {2022},
  eprint = {2211.15914},
  archivePrefix = {arXiv},
}
"""

GLOVER_2022 = """\
@misc{glover2022decomposition,
  title = {Revisiting text decomposition methods for {NLI}-based factuality scoring of summaries},
  author = {Glover, John and Fancellu, Federico and Jagannathan, Vasudevan and Gormley, Matthew R. and
            Schaaf, Thomas},
  year = {2022},
}
"""

ISO_2022 = """\
@inproceedings{iso2022comparative,
  title = {Comparative Opinion Summarization via Collaborative Decoding},
  author = {Iso, Hayate and Wang, Xiaolan and Angelidis, Stefanos and Suhara, Yoshihiko},
  booktitle = {Findings of the Association for Computational Linguistics: ACL 2022},
  pages = {3307--3324},
  year = {2022},
}
"""

LABAN_2022 = """\
@article{laban2022summac,
  title = {{SummaC}: Re-Visiting {NLI}-based Models for Inconsistency Detection in Summarization},
  author = {Laban, Philippe and Schnabel, Tobias and Bennett, Paul N. and Hearst, Marti A.},
  journal = {Transactions of the Association for Computational Linguistics},
  volume = {10},
  pages = {163--177},
  year = {2022},
  doi = {10.1162/tacl_a_00453},
}
"""

NENKOVA_2004 = """\
@inproceedings{nenkova2004pyramid,
  title = {Evaluating Content Selection in Summarization: The Pyramid Method},
  author = {Nenkova, Ani and Passonneau, Rebecca},
  booktitle = {Proceedings of the Human Language Technology Conference of the North American Chapter of the
               Association for Computational Linguistics: HLT-NAACL 2004},
  pages = {145--152},
  year = {2004},
}
"""

VADAPALLI_2017 = """\
@inproceedings{vadapalli2017ssas,
  title = {{SSAS}: Semantic Similarity for Abstractive Summarization},
  author = {Vadapalli, Raghuram and Kurisinkel, Litton J and Gupta, Manish and Varma, Vasudeva},
  booktitle = {Proceedings of the Eighth International Joint Conference on Natural Language Processing},
  year = {2017},
}
"""

ZHANG_2020 = """\
@inproceedings{zhang2020bertscore,
  title = {{BERTScore}: Evaluating Text Generation with {BERT}},
  author = {Zhang, Tianyi and Kishore, Varsha and Wu, Felix and Weinberger, Kilian Q. and Artzi, Yoav},
  booktitle = {International Conference on Learning Representations},
  year = {2020},
}
"""

ZHANG_2021 = """\
@inproceedings{zhang2021finding,
  title = {Finding a Balanced Degree of Automation for Summary Evaluation},
  author = {Zhang, Shiyue and Bansal, Mohit},
  booktitle = {Proceedings of the 2021 Conference on Empirical Methods in Natural Language Processing},
  pages = {6617--6632},
  year = {2021},
}
"""
